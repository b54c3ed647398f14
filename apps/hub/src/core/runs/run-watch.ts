/**
 * Looks after runs until their sessions have ended: ends the session of a run that is over, and denies what nobody is asked about
 * (RUN-1, RUN-5, RUN-6). Level-triggered: a hub that died looks at every run that is open when it starts.
 */
import type { SessionView } from '@roundhouse/backend-types'
import { type DenyDeps, denyUnasked } from '../commands/deny-unasked'
import { isStopUnderWay, STOP_AGAIN_MS, stopSession } from '../commands/stop-session'
import { WakeLoop } from '../common/wake-loop'
import type { Reads } from '../ports/stores'
import { isSettled } from '../views/settled'
import type { Views } from '../views/views'
import type { RunLogs } from './run-logs'

interface RunWatchDeps extends DenyDeps {
  reads: Pick<Reads, 'sessions'>
  views: Pick<Views, 'view'>
  /** Reads the kinds of events that tell an end. */
  logs: RunLogs
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number
  onError: (error: unknown) => void
}

/** Milliseconds after which a run is looked at without a reason. */
const LOOK_AGAIN_MS = 15_000
/** A run whose turn has not ended counts as over after nothing was left to do for so long. */
const SETTLED_MS = 10_000

/** A denial that was lost is made again after so long. */
const DENY_AGAIN_MS = 10_000

const NOBODY = 'Nobody is asked in this run. Do not try it in another way; finish without it.'

interface Watched {
  lookedAt: number
  stoppedAt: number
  settledSince: number | null
  /** When each open request was denied. A decision that its machine could not take makes a request open again. */
  deniedAt: Map<string, number>
}

export class RunWatch {
  readonly #deps: RunWatchDeps
  readonly #loop: WakeLoop
  readonly #open = new Map<string, Watched>()
  /** Their sessions have ended: only a fact of the hub beside their row says so. */
  readonly #over = new Set<string>()
  readonly #due = new Set<string>()
  /** The next step finds the runs that are due without a reason. */
  #isTickDue = false

  constructor(deps: RunWatchDeps) {
    this.#deps = deps
    this.#loop = new WakeLoop({ step: () => this.#step(), onError: deps.onError })
  }

  /** Events of a session, or its view, changed. */
  changed(sessionId: string): void {
    if (!this.#open.has(sessionId)) return
    this.#due.add(sessionId)
    this.#loop.wake()
  }

  tick(): Promise<void> {
    this.#isTickDue = true
    return this.#loop.run()
  }

  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Tells its errors itself: what fails for one run does not keep the others. */
  async #step(): Promise<void> {
    if (this.#isTickDue) await this.#findDue().catch(this.#deps.onError)
    await this.#lookAtDue()
  }

  async #findDue(): Promise<void> {
    this.#isTickDue = false
    const now = this.#deps.elapsed()
    const open = new Set(await this.#deps.reads.sessions.openRuns())
    for (const sessionId of this.#over) if (!open.has(sessionId)) this.#over.delete(sessionId)
    for (const sessionId of open) this.#watch(sessionId)
    for (const [sessionId, { lookedAt, settledSince }] of this.#open)
      if (now - lookedAt >= LOOK_AGAIN_MS || settledSince !== null) this.#due.add(sessionId)
  }

  #watch(sessionId: string): void {
    if (this.#open.has(sessionId) || this.#over.has(sessionId)) return
    this.#open.set(sessionId, {
      lookedAt: Number.NEGATIVE_INFINITY,
      stoppedAt: Number.NEGATIVE_INFINITY,
      settledSince: null,
      deniedAt: new Map(),
    })
  }

  async #lookAtDue(): Promise<void> {
    const due = [...this.#due]
    this.#due.clear()
    for (const sessionId of due) {
      const watched = this.#open.get(sessionId)
      if (watched) await this.#look(sessionId, watched).catch(this.#deps.onError)
    }
  }

  async #look(sessionId: string, watched: Watched): Promise<void> {
    const { views, logs, elapsed } = this.#deps
    watched.lookedAt = elapsed()
    const view = await views.view(sessionId)
    if (!view || view.status.status === 'ended') return this.#forget(sessionId)
    const { done } = await logs.read(sessionId)
    if (done || this.#isAtAnEnd(view, watched)) await this.#stop(view, watched)
    else if (view.run?.onPermission === 'deny') await this.#deny(view, watched)
  }

  /** Its prompt came to nothing, because its host died before it began for example. */
  #isAtAnEnd(view: SessionView, watched: Watched): boolean {
    const now = this.#deps.elapsed()
    watched.settledSince = view.agentOnline && isSettled(view) ? (watched.settledSince ?? now) : null
    return watched.settledSince !== null && now - watched.settledSince >= SETTLED_MS
  }

  async #stop(view: SessionView, watched: Watched): Promise<void> {
    const now = this.#deps.elapsed()
    if (isStopUnderWay(view.commands) || now - watched.stoppedAt < STOP_AGAIN_MS) return
    watched.stoppedAt = now
    await stopSession(this.#deps, view)
  }

  async #deny({ requests }: SessionView, watched: Watched): Promise<void> {
    const now = this.#deps.elapsed()
    const open = requests.flatMap(({ ask, outcome }) => (outcome === 'open' ? [ask.requestId] : []))
    watched.deniedAt = new Map([...watched.deniedAt].filter(([requestId]) => open.includes(requestId)))
    for (const { ask, decision, outcome } of requests) {
      const { requestId } = ask
      if (decision !== null || outcome !== 'open') continue
      if (now - (watched.deniedAt.get(requestId) ?? Number.NEGATIVE_INFINITY) < DENY_AGAIN_MS) continue
      watched.deniedAt.set(requestId, now)
      await denyUnasked(this.#deps, requestId, NOBODY)
    }
  }

  #forget(sessionId: string): void {
    this.#open.delete(sessionId)
    this.#over.add(sessionId)
    this.#deps.logs.forget(sessionId)
  }
}
