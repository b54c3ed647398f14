/**
 * Answers what programs ask about their trees (TREE-2). A request, what it does and its answer are one transaction, so a hub that
 * dies anywhere neither loses nor doubles them: the row is there until all of it is done. Sessions take turns, and waits are
 * looked at apart, some at a time, so that none stands before what others ask (TREE-2.8).
 */
import { CodedError, isTreeVerb, type TreeAnswer, toCodedError, treeInputs } from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import { hubActor } from '../commands/hub-actor'
import { hubKey } from '../common/hub-key'
import { WakeLoop } from '../common/wake-loop'
import type { Reads } from '../ports/stores'
import type { PlacedRequest, TreeRequestRow } from '../ports/tree-store'
import type { PersonTx, WriteAsHub } from '../writes/write-as'
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
/** Between two looks at what else is asked. */
const WAITS_AT_ONCE = 32
/** A program that asks more is answered at once. */
const OPEN_OF_SESSION = 32
const OPEN_OF_TREE = 128

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

  /** Each wait once, and a page of what is asked before each page of waits. True: there may be more. */
  async #all(): Promise<boolean> {
    const { now, reads, onError } = this.#deps
    const failed = new Set<string>()
    let after: TreeRequestRow | null = null
    let isMore: boolean
    do {
      isMore = await this.#asked(failed)
      const waits: TreeRequestRow[] = await reads.trees.waits(now(), after, WAITS_AT_ONCE)
      for (const wait of waits) await this.#one(wait, null).catch(onError)
      after = waits.at(-1) ?? null
    } while (after !== null)
    return isMore
  }

  /** A page. What `failed` is left for the next look, and nothing stands behind it. True: something was answered. */
  async #asked(failed: Set<string>): Promise<boolean> {
    const found = await this.#deps.reads.trees.requests({
      now: this.#deps.now(),
      mostOfSession: OPEN_OF_SESSION,
      mostOfTree: OPEN_OF_TREE,
      limit: AT_ONCE + failed.size,
    })
    let isAnswered = false
    for (const request of found.filter((one) => !failed.has(keyOf(one)))) {
      try {
        if (!(await this.#one(request, tooMany(request)))) throw stillThere(request)
        isAnswered = true
      } catch (error) {
        failed.add(keyOf(request))
        this.#deps.onError(error)
      }
    }
    return isAnswered
  }

  /** True: its row is gone. */
  async #one(request: TreeRequestRow, refusal: CodedError | null): Promise<boolean> {
    const asking = await findAsking(this.#deps.reads, request.sessionId)
    if (!asking) {
      await this.#deps.writeAsHub((tx) => tx.trees.removeRequest(request))
      return true
    }
    let isGone = false
    const answers: Answers = async (tx, answer) => {
      await this.#answer(tx, request, asking, answer)
      isGone = true
    }
    try {
      if (refusal) throw refusal
      await this.#do(request, asking, answers)
    } catch (error) {
      const { code, message } = toCodedError(error)
      if (isPassing.has(code)) throw error
      const refused = { ok: false, error: { code, message: message.slice(0, 2_000) } } as const
      await this.#deps.writeAsHub((tx) => answers(tx, refused)).catch(unlessGone)
      isGone = true
    }
    failpoint('hub.tree.afterAnswer')
    this.#deps.pump.kick(asking.session.agentId, request.sessionId)
    return isGone
  }

  async #do(request: TreeRequestRow, asking: Asking, answers: Answers): Promise<void> {
    const { verbs } = this.#deps
    const { verb, input } = request
    if (!isTreeVerb(verb)) throw new CodedError('UNSUPPORTED', `This hub does not know "${verb}".`)
    switch (verb) {
      case 'spawn':
        return verbs.spawn(asking, treeInputs.spawn.parse(input), spawnKey(request), answers)
      case 'send':
        return verbs.send(asking, treeInputs.send.parse(input), answers)
      case 'read':
        return verbs.read(asking, treeInputs.read.parse(input), answers)
      case 'wait':
        return verbs.wait(asking, treeInputs.wait.parse(input), request.dueAt ?? 0, answers)
    }
  }

  async #answer(tx: PersonTx, request: TreeRequestRow, { session }: Asking, answer: TreeAnswer): Promise<void> {
    const { sessionId, seq, requestId } = request
    if (!(await tx.trees.removeRequest({ sessionId, seq }))) throw new CodedError('ALREADY_ENDED')
    if (!(await tx.sessions.find(sessionId))) return
    const body = { kind: 'tool.answer', requestId, answer } as const
    await addCommand(tx, { sessionId, agentId: session.agentId, actor: hubActor, body, now: this.#deps.now() })
  }
}

const spawnKey = ({ sessionId, seq }: TreeRequestRow): string => hubKey('tree', sessionId, seq)

const stillThere = ({ sessionId, seq }: TreeRequestRow) =>
  new Error(`The request ${seq} of ${sessionId} was done, and its row is still there.`)

const keyOf = ({ sessionId, seq }: TreeRequestRow): string => `${sessionId} ${seq}`

function tooMany({ ofSession, ofTree }: PlacedRequest): CodedError | null {
  if (ofSession > OPEN_OF_SESSION) return new CodedError('RATE_LIMITED', `At most ${OPEN_OF_SESSION} requests at once.`)
  if (ofTree > OPEN_OF_TREE)
    return new CodedError('RATE_LIMITED', `At most ${OPEN_OF_TREE} requests of a tree of sessions at once.`)
  return null
}

/** Its turn ended meanwhile, so nobody reads the answer. */
function unlessGone(error: unknown): void {
  if (toCodedError(error).code !== 'ALREADY_ENDED') throw error
}

/** Nothing was done: it is tried again. */
const isPassing: ReadonlySet<string> = new Set(['STORAGE_UNAVAILABLE', 'INTERNAL', 'OUT_OF_RESOURCES'])
