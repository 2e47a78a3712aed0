//! A board on the terminal: the rules' drawing, with colours where they are wanted.
