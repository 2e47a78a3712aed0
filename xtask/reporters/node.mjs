// Reports the tests of Node's runner as Rust's test harness does: one JSON object a line. Files and
// suites are not tests.

const line = (report) => `${JSON.stringify({ type: "test", ...report })}\n`;

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const error = data.details?.error;
    const hasFailed = type === "test:fail";
    // A file or a suite fails with its tests, and once more for itself.
    const isWhole = data.details?.type === "suite" || error?.failureType === "subtestsFailed";
    if (isWhole) continue;
    const { name, skip, todo } = data;
    if (skip !== undefined || todo !== undefined) {
      yield line({ event: "ignored", name });
      continue;
    }
    const cause = error?.cause;
    const stdout = hasFailed ? `${data.file ?? ""}\n${cause?.stack ?? cause ?? error?.stack ?? error}` : undefined;
    const exec_time = (data.details?.duration_ms ?? 0) / 1_000;
    yield line({ event: hasFailed ? "failed" : "ok", name, exec_time, stdout });
  }
}
