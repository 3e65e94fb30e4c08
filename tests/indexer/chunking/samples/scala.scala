package harbour.boats

import scala.util.Try

trait Moorable[T]:
  type Rope
  val berth: Int
  def moor(berth: Int): Unit
end Moorable

/** A boat with its name. */
@SerialVersionUID(1L)
final case class Boat(name: String, length: Int = 12) extends Moorable[Int] {
  private val left, right = 1
  lazy val Berth(berth, _) = find(name)

  @throws[IOException]
  override def moor(berth: Int): Unit = {
    val local = berth
    def tie() = local
  }

  def +(other: Boat): Boat = other
}

object Boat {
  final val Width = 4
  implicit class Loud(boat: Boat) { def shout: String = boat.name }
}

enum Wind { case North, South; case Gust(speed: Int) }

type Berths = Map[Int, Boat]
given ordering: Ordering[Boat] = Ordering.by(boat => { val local = boat; local.name })

extension (boats: List[Boat])
  def longest: Boat = boats.maxBy(_.length)

package object tools {
  var answer = 42
}
