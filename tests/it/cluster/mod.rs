//! Several nodes on one database.

mod balancer; // HAProxy in front of the nodes
mod clocks; // machines whose clocks are wrong
mod contest; // players who act against themselves at two nodes, and faults
mod faults; // nothing is lost, doubled or shown in vain
mod lost_nodes; // nodes that are killed, paused and started again
mod outages; // requests while the database is away
mod play; // games between players of different nodes
mod talk; // talk when announcements are lost
mod users; // users with sessions on several nodes
