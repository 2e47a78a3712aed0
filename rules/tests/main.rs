//! The rules, tested from outside: what their games, tables and records say and do.

#![cfg(test)]

mod adamas;
mod allocation; // what deciding a move allocates
mod diam;
mod hexma;
mod move_lists; // lists of legal moves, in every game
mod reasons; // why a move is refused
mod record_text; // games as text
mod sketch; // moves put together cell by cell
mod stymie;
mod table; // players, clocks and offers
mod winning; // the cells by which a game was won
