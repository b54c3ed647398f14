/**
 * Answers what programs ask about their trees (TREE-2). A request, what it does and its answer are one transaction, so a hub that
 * dies anywhere neither loses nor doubles them: the row is there until all of it is done. A wait stays until it is due.
 */
import { CodedError, isTreeVerb, toCodedError, treeInputs } from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import { hubActor } from '../commands/hub-actor'
import { WakeLoop } from '../common/wake-loop'
import type { Reads } from '../ports/stores'
import type { TreeRequestRow } from '../ports/tree-store'
import type { WriteAsHub } from '../writes/write-as'
import { type Answers, type Asking, findAsking } from './asking'
import type { TreeVerbs } from './tree-verbs'

export interface TreeRequestsDeps {
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'commands' | 'machines' | 'people' | 'requests' | 'sessions' | 'trees'>
  verbs: TreeVerbs
  writeAsHub: WriteAsHub
  onError: (error: unknown) => void
}

const AT_ONCE = 200
/** Of one session. A program that asks more is answered at once. */
const OPEN_OF_SESSION = 32

export class TreeRequests {
  readonly #deps: TreeRequestsDeps
  readonly #loop: WakeLoop

  constructor(deps: TreeRequestsDeps) {
    this.#deps = deps
    this.#loop = new WakeLoop({ step: () => this.#all(), onError: deps.onError })
  }

  /** Looks at everything that is open, after what it is doing now. */
  wake(): void {
    this.#loop.wake()
  }

  idle(): Promise<void> {
    return this.#loop.idle()
  }

  async #all(): Promise<void> {
    const counted = new Map<string, number>()
    for (const request of await this.#deps.reads.trees.requests(AT_ONCE)) {
      const count = (counted.get(request.sessionId) ?? 0) + 1
      counted.set(request.sessionId, count)
      await this.#one(request, count).catch(this.#deps.onError)
    }
  }

  async #one(request: TreeRequestRow, count: number): Promise<void> {
    const asking = await findAsking(this.#deps.reads, request.sessionId)
    if (!asking) {
      await this.#deps.writeAsHub((tx) => tx.trees.removeRequest(request))
      return
    }
    try {
      if (count > OPEN_OF_SESSION) throw new CodedError('RATE_LIMITED', `At most ${OPEN_OF_SESSION} requests at once.`)
      await this.#do(request, asking)
    } catch (error) {
      const { code, message } = toCodedError(error)
      if (isPassing.has(code)) throw error
      await this.#deps.writeAsHub((tx) =>
        this.#answers(request, asking)(tx, { ok: false, error: { code, message: message.slice(0, 2_000) } }),
      )
    }
    failpoint('hub.tree.afterAnswer')
    this.#deps.pump.kick(asking.session.agentId, request.sessionId)
  }

  async #do(request: TreeRequestRow, asking: Asking): Promise<void> {
    const { verbs } = this.#deps
    const { verb, input } = request
    if (!isTreeVerb(verb)) throw new CodedError('UNSUPPORTED', `This hub does not know "${verb}".`)
    const answers = this.#answers(request, asking)
    switch (verb) {
      case 'spawn':
        return verbs.spawn(asking, treeInputs.spawn.parse(input), `tree-${request.sessionId}-${request.seq}`, answers)
      case 'send':
        return verbs.send(asking, treeInputs.send.parse(input), answers)
      case 'read':
        return verbs.read(asking, treeInputs.read.parse(input), answers)
      case 'wait':
        return verbs.wait(asking, treeInputs.wait.parse(input), request.dueAt ?? 0, answers)
    }
  }

  #answers({ sessionId, seq, requestId }: TreeRequestRow, { session }: Asking): Answers {
    return async (tx, answer) => {
      if (!(await tx.trees.removeRequest({ sessionId, seq }))) throw new CodedError('ALREADY_ENDED')
      if (!(await tx.sessions.find(sessionId))) return
      const body = { kind: 'tool.answer', requestId, answer } as const
      await addCommand(tx, { sessionId, agentId: session.agentId, actor: hubActor, body, now: this.#deps.now() })
    }
  }
}

/** Nothing was done: it is tried again. */
const isPassing: ReadonlySet<string> = new Set(['STORAGE_UNAVAILABLE', 'INTERNAL', 'OUT_OF_RESOURCES'])
