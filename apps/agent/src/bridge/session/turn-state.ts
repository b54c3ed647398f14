/** Whether a turn runs, and a promise of its end. */
export class TurnState {
  private over: { promise: Promise<void>; resolve: () => void } | null = null

  get isRunning(): boolean {
    return this.over !== null
  }

  begin(): void {
    if (this.over) return
    let resolve = () => {}
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    this.over = { promise, resolve }
  }

  end(): void {
    this.over?.resolve()
    this.over = null
  }

  /** Of the turn that runs now. False: it has not ended in time. */
  async ended(limitMs: number): Promise<boolean> {
    if (!this.over) return true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs)
      timer.unref()
    })
    const inTime = await Promise.race([this.over.promise.then(() => true), late])
    clearTimeout(timer)
    return inTime
  }
}
