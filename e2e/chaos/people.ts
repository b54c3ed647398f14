/**
 * What people do meanwhile: in each session one prompt after another, and two of them decide every request at the same
 * time, opposite to each other. A request to the hub that fails is made again with the same key, as a page would.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { HubRest } from '@roundhouse/hub-client'
import { scriptOf } from '../support/rigs/rig'
import type { ChaosSession, World } from './world'

export interface Decided {
  requestId: string
  decision: 'allow' | 'deny'
}

export class People {
  readonly decided: Decided[] = []
  prompts = 0
  readonly #rest: HubRest
  readonly #random: (below: number) => number
  #over = false
  #rounds = 0
  #work: Promise<unknown> = Promise.resolve()

  constructor(world: World, random: (below: number) => number) {
    this.#rest = world.rest
    this.#random = random
    this.#work = Promise.all(world.sessions.map((session) => this.#live(session)))
  }

  /** No new prompts from now on; what is asked is answered until everything is at rest. */
  async leave(): Promise<void> {
    this.#over = true
    await this.#work
  }

  async #live(session: ChaosSession): Promise<void> {
    const idle = async () => {
      const { session: view } = await this.#rest.snapshot(session.sessionId, 1)
      for (const { ask, decision } of view.requests) if (!decision) await this.#decide(ask)
      // A crash in the middle of a turn pauses what waits behind it, and a person goes on.
      if (view.queueHeld && view.agentOnline) await this.#rest.queue(session.sessionId, { op: 'release' })
      const open = view.commands.some(({ state }) => state === 'pending' || state === 'sent')
      return view.agentOnline && view.turnId === undefined && view.queue.length === 0 && !open
    }
    while (true) {
      await wait(100)
      if (!(await idle().catch(() => false))) continue
      if (this.#over) return
      await this.prompt(session)
    }
  }

  /** One turn of this session; resolves when the hub has it. */
  async prompt(session: ChaosSession): Promise<void> {
    const id = `${session.label}-${++session.turns}`
    const body = { promptId: `p_${id}`, text: scriptOf(turn(id)) }
    this.prompts += 1
    for (;;) {
      const failed = await this.#rest.prompt(session.sessionId, body, `key-of-${id}`).then(
        () => null,
        (error: unknown) => error,
      )
      if (failed === null) return
      await wait(200)
    }
  }

  async #decide(ask: { requestId: string; digest: string }): Promise<void> {
    const { requestId, digest } = ask
    const decisions = this.#random(2) === 0 ? (['allow', 'deny'] as const) : (['deny', 'allow'] as const)
    // A request that is still open after both decisions is decided again: the machine could not take them.
    this.#rounds += 1
    const results = await Promise.allSettled(
      decisions.map((decision) =>
        this.#rest.decide(requestId, { decision, digest }, `${decision}-${requestId}-${this.#rounds}`),
      ),
    )
    results.forEach((result, i) => {
      const decision = decisions[i]
      if (result.status === 'fulfilled' && decision) this.decided.push({ requestId, decision })
    })
  }
}

/** About two seconds: texts, a text that streams, and a command that leaves a mark when it runs. */
const turn = (id: string) => [
  { count: { to: 20, delayMs: 15, prefix: `${id} text` } },
  { text: `${id} streams ${Array.from({ length: 20 }, (_, i) => `word${i}`).join(' ')}`, chunk: 9, delayMs: 20 },
  { tool: 'Bash', input: { command: `echo ${id} >> marks.txt`, description: 'Leave a mark' } },
  { count: { to: 10, delayMs: 15, prefix: `${id} end` } },
]
