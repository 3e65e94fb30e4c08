import 'dart:io';

const mostBoats = 40;

enum Wind { north, south }

abstract class Moorable {
  Future<bool> moor(int berth);
}

/// A boat with its name.
class Boat extends Moorable {
  final String name;
  Boat(this.name);

  int get length => 12;

  @override
  Future<bool> moor(int berth) async {
    final local = berth;
    if (local < mostBoats) {
      return launch(berth);
    }
    return false;
  }
}

extension Loud on Boat {
  String shout() => name.toUpperCase();
}

void main() {
  print(Boat('a'));
}
