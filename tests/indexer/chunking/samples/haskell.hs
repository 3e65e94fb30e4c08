{-# LANGUAGE GADTs #-}
module Harbour.Boat (Boat (..), moor) where

import Data.Map (Map)

class Eq a => Moorable a where
  type Rope a
  moor :: Int -> a -> a
  moor _ boat = boat

-- | A boat with its name.
data Boat = Boat
  { name :: String
  , length', width :: Int
  } deriving (Eq, Show)

data Wind = North | South Int
newtype Berth a = Berth { unBerth :: Int }
type Berths = Map Int Boat

data Expr a where
  Lit :: Int -> Expr Int

instance Moorable (Maybe a) where
  moor n boat =
    boat

mostBoats :: Int
mostBoats = 40

-- | Where it blows next.
turned :: Wind -> Wind
turned North = South 1
turned (South _)
  | local > 1 = North
  | otherwise = help North
  where
    local = 2
    help x = x

(|+|) :: Int -> Int -> Int
a |+| b = a + b
