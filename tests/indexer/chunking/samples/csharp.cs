using System;

namespace Harbour.Boats
{
    public delegate void Moored(Boat boat, int berth);

    public interface IMoorable
    {
        int Berth { get; }
        void Moor(int berth);
    }

    /// <summary>A boat with its name.</summary>
    [Serializable]
    public sealed class Boat : IMoorable
    {
        public const int Length = 12, Width = 4;
        public event EventHandler Left;
        public string Name { get; init; } = "none";

        public Boat(string name)
        {
            Name = name;
        }

        [Obsolete]
        public void Moor<T>(int berth) where T : class
        {
            int local = berth;
            void Tie() { }
        }

        public string this[int index] => Name;
        public static Boat operator +(Boat left, Boat right) => left;
    }

    public enum Wind { North, South }

    public record Pilot(string Name, int Age)
    {
        public struct Licence { public int Number; }
    }
}
