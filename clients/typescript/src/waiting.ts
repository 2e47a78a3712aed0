// Waiting: for changes, for time, and until somebody stops it.

/** Wakes all that wait for a change. */
export class Changes {
  #wake: () => void = () => undefined;
  #next = this.#renewed();

  /** Resolves at the next change. */
  wait(): Promise<void> {
    return this.#next;
  }

  wake(): void {
    const wake = this.#wake;
    this.#next = this.#renewed();
    wake();
  }

  #renewed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Waits for some milliseconds. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, stop } = timer(ms);
  return until(promise, signal).finally(stop);
}

/** A wait that can be stopped, so that it keeps no program alive. */
export function timer(ms: number): { promise: Promise<void>; stop: () => void } {
  let running: ReturnType<typeof setTimeout> | undefined;
  const promise = new Promise<void>((resolve) => {
    running = setTimeout(resolve, ms);
  });
  return { promise, stop: () => clearTimeout(running) };
}

/** Waits for a promise, but not beyond the signal, whose reason it then throws. The work goes on. */
export function until<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
