//! Limits of users, passwords, tokens, notifications, and the requests that the server sends.

use std::time::Duration;

use crate::rate_limiter::Rate;

/// One password hash is computed at once for this many cores, and at least one. Each takes a core
/// for tens of milliseconds.
pub(crate) const CORES_PER_HASH: usize = 4;

/// Password hashes that may wait in all. Beyond it the answer is `busy`. Networks take turns.
pub(crate) const HASHES_WAITING_MAX: usize = 128;

/// Password hashes of one address that may wait.
pub(crate) const HASHES_PER_ADDRESS_MAX: usize = 2;
/// Password hashes of one network that may wait.
pub(crate) const HASHES_PER_NETWORK_MAX: usize = 4;

/// The shortest and longest password, in bytes.
pub(crate) const PASSWORD_BYTES: std::ops::RangeInclusive<usize> = 8..=256;

/// The longest label of a token, in bytes.
pub(crate) const TOKEN_LABEL_BYTES_MAX: usize = 64;

/// Log-in tokens of one user, and as many again for programs. One more log-in deletes the one that
/// was unused for longest.
pub(crate) const TOKENS_PER_USER_MAX: u32 = 50;

/// How exactly the store knows when a token was last used. A write for every `hello` would be
/// waste.
pub(crate) const TOKEN_USE_GRAIN: Duration = Duration::from_mins(10);

/// The store records a token's use at least this many times within the token's life.
pub(crate) const TOKEN_USE_SHARE: u64 = 4;

/// Uses of open sessions' tokens that share one write.
pub(crate) const TOKEN_USES_PER_WRITE: usize = 256;

/// Bots of one owner.
pub(crate) const BOTS_PER_OWNER_MAX: u32 = 20;

/// The longest mail address, in bytes (RFC 5321, 4.5.3.1.3, without the brackets).
pub(crate) const MAIL_ADDRESS_BYTES_MAX: usize = 254;

/// Mails that wait for the operator's command. Beyond it the answer is `busy`.
pub(crate) const MAILS_QUEUED_MAX: usize = 64;

/// Time that the operator's command may take for a mail.
pub(crate) const MAIL_COMMAND_WAIT: Duration = Duration::from_secs(15);

/// Time for which a code from a mail is valid.
pub(crate) const MAIL_CODE_LIFE: Duration = Duration::from_hours(1);

/// Mails an hour that one client's address may ask for.
pub(crate) const MAILS_PER_HOUR: u32 = 10;

/// Mails a day that one user may ask for, and as many of each kind to one address.
pub(crate) const MAILS_PER_DAY: u32 = 5;

/// Time between two sweeps of guests who never played and of tokens that have expired.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_hours(24);

/// Live games of one user.
pub(crate) const GAMES_PER_USER_MAX: usize = 200;

/// The time between two checks of the tokens of open sessions, with several nodes.
pub(crate) const TOKEN_CHECK_EVERY: Duration = Duration::from_secs(30);

/// Tokens that one read checks.
pub(crate) const TOKENS_PER_CHECK: usize = 1000;

/// Push subscriptions of one user: the user's browsers. One more deletes the oldest.
pub(crate) const PUSH_SUBSCRIPTIONS_PER_USER_MAX: u32 = 10;

/// The longest URL of a push service or a webhook, in bytes. Those of push services have up to some
/// 700.
pub(crate) const OUTGOING_URL_BYTES_MAX: usize = 1024;

/// What a push subscription or a webhook counts for.
pub(crate) const NOTIFICATION_ROW_BYTES: u64 = 2048;

/// The record size that a push message states. Push services accept no larger one.
pub(crate) const PUSH_RECORD_BYTES: u32 = 4096;

/// Keys of push messages that are kept, the present one included: browsers that have not been here
/// since one was replaced are served with it.
pub(crate) const PUSH_KEYS_KEPT: usize = 4;

/// Time for which a token for a push service is valid. Push services accept at most a day.
pub(crate) const VAPID_TOKEN_LIFE: Duration = Duration::from_hours(12);

/// Notifications in a row that may fail. Then the server deletes the push subscription, or no
/// longer calls the webhook.
pub(crate) const NOTIFICATION_FAILURES_MAX: u32 = 10;

/// Occasions that rooms and the lobby have reported and the notifier has not taken yet. It takes
/// them at once; further ones are dropped.
pub(crate) const OCCASIONS_QUEUED_MAX: usize = 1024;

/// Bots whose seats the lobby has not seated yet. It does so at once; a bot that does not fit finds
/// its game in its next round.
pub(crate) const SUBSTITUTES_QUEUED_MAX: usize = 256;

/// Occasions and notifications that wait for their time, some hundred bytes each. Further ones are
/// dropped.
pub(crate) const NOTIFICATIONS_WAITING_MAX: usize = 20_000;

/// Time after which a notice that its process has not sent is taken by any process.
pub(crate) const NOTICE_OVERDUE_AFTER: Duration = Duration::from_secs(3);

/// Time between two looks at the store for overdue notices.
pub(crate) const NOTICES_LOOKED_AT_EVERY: Duration = Duration::from_secs(2);

/// Overdue notices that a process takes at once.
pub(crate) const NOTICES_TAKEN_MAX: u32 = 64;

/// Time for which a process has a notice for itself: longer than the pause before an attempt, and
/// the attempt.
pub(crate) const NOTICE_TAKEN_FOR: Duration = Duration::from_secs(100);

/// Time after an occasion after which its notice is not sent any more, because every server was
/// down: as long as push services keep a message.
pub(crate) const NOTICE_KEPT: Duration = PUSH_MESSAGE_LIFE;

/// Notifications of one user about turns and ends of games. Further ones are dropped. Nothing that
/// strangers cause counts here.
pub(crate) const GAMES_NOTIFIED_PER_USER: Rate = Rate::new(60, Duration::from_hours(1));

/// Notifications of one user about lines of talk.
pub(crate) const LINES_NOTIFIED_PER_USER: Rate = Rate::new(20, Duration::from_hours(1));

/// Notifications of one user about challenges.
pub(crate) const CHALLENGES_NOTIFIED_PER_USER: Rate = Rate::new(20, Duration::from_hours(1));

/// Notifications of one bot about challenges.
pub(crate) const CHALLENGES_NOTIFIED_PER_BOT: Rate = Rate::new(60, Duration::from_hours(1));

/// Notifications of one user about challenges by guests.
pub(crate) const GUESTS_NOTIFIED_PER_USER: Rate = Rate::new(3, Duration::from_hours(1));

/// Notifications of one user about challenges by guests of one network.
pub(crate) const GUESTS_NOTIFIED_PER_NETWORK: Rate = Rate::new(1, Duration::from_hours(1));

/// Games of one user who is away in which a line is reported.
pub(crate) const LINES_REPORTED_PER_USER_MAX: usize = 8;

/// Users who are away and have been told of a line, some hundred bytes each.
pub(crate) const LINES_REPORTED_USERS_MAX: usize = 10_000;

/// Times after which a notification is sent again: the first attempt and these are all.
pub(crate) const NOTIFICATION_RETRIES_AFTER: [Duration; 2] =
    [Duration::from_secs(10), Duration::from_mins(1)];

/// Time for which a push service keeps a message for a browser that it cannot reach.
pub(crate) const PUSH_MESSAGE_LIFE: Duration = Duration::from_hours(24);

/// Requests to other servers that run at the same time. Each takes a descriptor.
pub(crate) const OUTGOING_AT_ONCE: usize = 64;

/// Of them, requests on behalf of one user: a server that answers late holds no place of others.
pub(crate) const OUTGOING_PER_USER_AT_ONCE: usize = 2;

/// Of them, requests to one server.
pub(crate) const OUTGOING_PER_SERVER_AT_ONCE: usize = 8;

/// Occasions that are looked at at the same time.
pub(crate) const OCCASIONS_AT_ONCE: usize = 16;

/// Notifications that are due and may have to wait, among which one that need not is looked for.
pub(crate) const DELIVERIES_LOOKED_AT_MAX: usize = 2_000;

/// Requests to one address. Everybody's browsers share the addresses of a few push services, and
/// somebody's webhooks may all lead to a stranger.
pub(crate) const OUTGOING_PER_ADDRESS: Rate = Rate::new(60, Duration::from_secs(10));

/// Addresses of a host that are tried.
pub(crate) const OUTGOING_ADDRESSES_MAX: usize = 4;

/// Time for one attempt to connect.
pub(crate) const OUTGOING_CONNECT_MAX: Duration = Duration::from_secs(3);

/// Time for a request from the name to the answer. Push services answer in some tenths of a second.
pub(crate) const OUTGOING_TIME_MAX: Duration = Duration::from_secs(5);

/// Bytes of the head of an answer.
pub(crate) const OUTGOING_HEAD_BYTES_MAX: usize = 16 * 1024;

/// Games in a feed: the last ones that changed.
pub(crate) const FEED_GAMES_MAX: u32 = 50;

/// A player whose session ends this long after their turn began may not have seen it. It is twice
/// the default of `limits.idle_close`, after which the server notices a dead connection.
pub(crate) const TURN_UNSEEN_MAX: Duration = Duration::from_mins(1);
