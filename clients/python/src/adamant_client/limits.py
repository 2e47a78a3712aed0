"""The limits of this client. Times are in seconds."""

OPEN_TIMEOUT = 10.0
"""The longest that dialling, handshakes and `hello` may take, each."""

FIRST_WAIT_MAX = 0.25
"""The longest wait before the first attempt to reconnect. It doubles with each attempt."""

EAGER_WAIT_MAX = 3.0
"""The longest wait before an attempt to reconnect in the first `EAGER_FOR` seconds after a loss.

Clocks of a few seconds a move run again once the server is back.
"""

EAGER_FOR = 60.0
"""How long after a loss the waits stay short: most restarts end within it."""

WAIT_MAX = 15.0
"""The longest wait before a later attempt to reconnect, unless the server asks for a longer one."""

STEADY_AFTER = 15.0
"""The lifetime after which a connection counts as good, so that the waits begin again."""

PING_EVERY = 10.0
"""How often the client pings the server, to notice a dead connection."""

PING_TIMEOUT = 20.0
"""The longest wait for the answer to a ping. The connection then counts as dead."""

CLOSE_TIMEOUT = 1.0
"""The longest that the closing handshake may take."""

FRAME_IN_BYTES_MAX = 1024 * 1024
"""The largest frame that a server may send."""

FRAME_OUT_BYTES_MAX = 16 * 1024
"""The largest frame that a server accepts, until `welcome` names another limit."""

PENDING_MAX = 256
"""The most requests that wait for their replies."""

INBOX_MAX = 4096
"""The most frames that wait for the program. Beyond it the client drops the connection and resumes.

What a server sends to a program that comes back to some hundred games fits.
"""

RATE_SHARE = 0.8
"""The share of the server's message rate that one client uses. Other sessions may need the rest."""

RETRY_WAIT_MAX = 60.0
"""The longest wait, named by the server, after which a refused request is sent again by itself."""

RETRIES_MAX = 8
"""The most times that one refused request is sent again."""

RETRY_WAIT_MIN = 0.025
"""The shortest wait before that. It doubles with each time."""

CURSORS_MAX = 512
"""The most cursors in one `hello`, as the protocol has it. The server sends the state of further games."""

CURSOR_BYTES_MAX = 112
"""What one cursor takes of a frame at most."""

HELLO_BYTES_MAX = 4 * 1024
"""What a `hello` takes of a frame at most, without its cursors."""

GAMES_MAX = 1024
"""The most games that a client remembers. Further ones displace finished games, the oldest first."""

CANCEL_AGAIN = 0.1
"""How long a bot that stops waits for its tasks before it cancels them again."""

IDLE_WAIT = 30.0
"""How long a bot without a game waits before it looks for one again."""

GAMES_AT_ONCE = 8
"""The most games that a bot plays at once, unless it says otherwise."""
