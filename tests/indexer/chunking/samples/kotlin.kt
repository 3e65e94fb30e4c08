package harbour.boats

import kotlin.math.max

const val MOST_BOATS = 40

typealias Berths = Map<Int, Boat>

interface Moorable {
    fun moor(berth: Int)
}

/** A boat with its name. */
@Serializable
data class Boat(val name: String, private var length: Int = 12) : Moorable {
    val big: Boolean
        get() = length > 20

    init {
        val local = length
    }

    constructor(name: String) : this(name, 1)

    @Throws(IOException::class)
    override fun moor(berth: Int) {
        val local = berth
        fun tie() = local
    }

    companion object {
        fun load(path: String) = Boat(path)
    }
}

enum class Wind { NORTH, SOUTH }

object Registry {
    private val boats by lazy { mutableListOf<Boat>() }
}

fun <T> List<T>.second(): T = this[1]
val Boat?.known get() = this != null
