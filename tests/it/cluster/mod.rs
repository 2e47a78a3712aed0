//! Several nodes on one database.

mod balancer; // HAProxy in front of the nodes
