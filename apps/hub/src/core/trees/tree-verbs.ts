/** What a program can do with the sessions of its own tree, with the rights of the person who allowed it (TREE-2, TREE-3). */
import { CodedError, type CreateSessionRequest, SessionSettings, type TreeInput } from '@roundhouse/backend-types'
import { type Actor, reaches, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import { addCommand } from '../commands/command-maker'
import type { CommandPump } from '../commands/command-pump'
import { newId, newSecret } from '../common/random'
import type { Changes } from '../doorbells/changes'
import { titleIn } from '../ingest/session-title'
import type { MachineRow } from '../ports/machine-store'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { createSession } from '../sessions/create-session'
import { promptDigest } from '../sessions/prompt-text'
import { isSettled } from '../views/settled'
import type { Views } from '../views/views'
import type { WriteAs, WriteAsHub } from '../writes/write-as'
import type { Answers, Asking } from './asking'
import { childSettings, type SpawnInput } from './child-settings'
import { framedText } from './framed-text'
import { lastAnswers } from './last-answers'
import { memberOf } from './member-of'
import { childPlace, requireSpawning } from './tree-limits'
import { requirePeople, type TreePeople } from './tree-people'

export interface TreeVerbsDeps {
  changes: Changes
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'commands' | 'events' | 'machines' | 'people' | 'requests' | 'sessions' | 'trees'>
  views: Views
  writeAs: WriteAs
  writeAsHub: WriteAsHub
}

interface AskedSpawn {
  people: TreePeople
  answers: Answers
}

type Beside = NonNullable<Parameters<typeof createSession>[4]>['beside']

const MOST_WAITED = 64

export class TreeVerbs {
  readonly #deps: TreeVerbsDeps

  constructor(deps: TreeVerbsDeps) {
    this.#deps = deps
  }

  async spawn(asking: Asking, input: TreeInput<'spawn'>, key: string, answers: Answers): Promise<void> {
    requireSpawning(asking.tree)
    const people = await requirePeople(this.#deps, asking)
    await this.#start(asking, named(people.actor, asking.session), input, key, { people, answers })
  }

  /** An orchestrator's `cmd.<session>.spawn`: by its own credential, in the tree of that session, with the same limits. */
  async spawnAs(asking: Asking, actor: Actor, input: SpawnInput, key: string) {
    requireSpawning(asking.tree)
    requireCan(actor, 'session.control', asking.session)
    return this.#start(asking, actor, input, key)
  }

  async send(asking: Asking, { sessionId, text }: TreeInput<'send'>, answers: Answers): Promise<void> {
    const { changes, now, pump, views, writeAs } = this.#deps
    const { session } = asking
    const target = await this.#member(asking, sessionId)
    if (sessionId === session.sessionId) throw new CodedError('INVALID_ARGUMENT', 'sessionId: that is this session')
    const people = await requirePeople(this.#deps, asking)
    const actor = named(people.actor, session)
    await people.require(this.#deps.reads.people, 'session.prompt', target)
    const view = await views.view(sessionId)
    if (!view || view.status.status === 'ended') throw new CodedError('SESSION_ENDED')
    const promptId = newId('cmd')
    const framed = framedText(text, session, newSecret(9))
    await writeAs(actor, async (tx) => {
      const tree = await tx.trees.tree(asking.rootId)
      if (tree?.stoppedAt != null) throw new CodedError('TREE_STOPPED')
      await people.require(tx.people, 'session.prompt', target)
      const body = { kind: 'prompt.send', promptId, text: framed } as const
      await addCommand(tx, { sessionId, agentId: target.agentId, actor, body, now: now() })
      await tx.audit.append(
        entryOf(actor, 'prompt.send', sessionId, { from: session.sessionId, ...promptDigest(framed) }),
        now(),
      )
      await answers(tx, { ok: true, result: { sessionId, promptId } })
    })
    changes.session(sessionId)
    pump.kick(target.agentId, sessionId)
  }

  async read(
    asking: Asking,
    { sessionId = asking.session.sessionId, after }: TreeInput<'read'>,
    answers: Answers,
  ): Promise<void> {
    const { reads, writeAsHub } = this.#deps
    const target = await this.#member(asking, sessionId)
    const people = await this.#readers(asking)
    // What it said itself, it knows.
    if (sessionId !== asking.session.sessionId) await people?.require(reads.people, 'session.read', target)
    const below = await reads.trees.below(asking.rootId)
    const ids = below.filter(({ parentId }) => parentId === sessionId).map((child) => child.sessionId)
    const [own, ...all] = await this.#summaries([sessionId, ...ids])
    const children = []
    for (const child of all) if (await (people?.may(reads.people, 'session.read', child) ?? true)) children.push(child)
    const said = await lastAnswers(reads.events, sessionId, after)
    const result = { ...(own ? memberOf(own) : {}), children: children.map(memberOf), ...said }
    await writeAsHub((tx) => answers(tx, { ok: true, result }))
  }

  /** Does nothing while it has to wait. */
  async wait(asking: Asking, { sessionIds }: TreeInput<'wait'>, dueAt: number, answers: Answers): Promise<void> {
    const { now, reads, views, writeAsHub } = this.#deps
    const below = await reads.trees.below(asking.rootId)
    const own = below.filter(({ parentId }) => parentId === asking.session.sessionId).map(({ sessionId }) => sessionId)
    const wanted = [...new Set(sessionIds ?? own)].slice(0, MOST_WAITED)
    const people = await this.#readers(asking)
    const found: Array<{ settled: boolean; [fact: string]: unknown }> = []
    for (const sessionId of wanted) {
      const place = below.find((node) => node.sessionId === sessionId)
      if (!place && sessionId !== asking.rootId) throw notInTree(sessionId)
      if (sessionId === asking.session.sessionId)
        throw new CodedError('INVALID_ARGUMENT', 'sessionIds: a session cannot wait for itself')
      const target = await reads.sessions.find(sessionId)
      if (target) await people?.require(reads.people, 'session.read', target)
      const view = await views.view(sessionId)
      found.push(
        view ? { ...memberOf(view), settled: isSettled(view) } : { sessionId, status: 'deleted', settled: true },
      )
    }
    const isDone = found.every(({ settled }) => settled)
    if (!isDone && now() < dueAt) return
    await writeAsHub((tx) => answers(tx, { ok: true, result: { timedOut: !isDone, sessions: found } }))
  }

  /** `asked`: by a program. */
  async #start(asking: Asking, actor: Actor, input: SpawnInput, key: string, asked?: AskedSpawn) {
    const { views, now } = this.#deps
    const { session } = asking
    const { sessionId: parentId } = session
    const view = await views.view(parentId)
    if (!view || view.status.status === 'ended') throw new CodedError('SESSION_ENDED')
    const machine = await this.#machine(actor, session, input.machine)
    const parent = SessionSettings.parse(view.settings)
    const settings = childSettings(parent, input, machine.agentId === session.agentId)
    const request: CreateSessionRequest = {
      agentId: machine.agentId,
      settings,
      title: (input.title ?? titleIn(input.prompt, 80)) || 'Child session',
      prompt: input.prompt,
    }
    await asked?.people.require(this.#deps.reads.people, 'session.create', machine)
    const beside: Beside = async (tx, { sessionId, title }) => {
      await asked?.people.require(tx.people, 'session.create', machine)
      await tx.trees.insertNode({ ...(await childPlace(tx, parentId)), sessionId }, now())
      await tx.audit.append(entryOf(actor, 'session.spawn', sessionId, { parentId }), now())
      await asked?.answers(tx, {
        ok: true,
        result: { sessionId, title, machine: machine.name, workDir: settings.workDir },
      })
    }
    // What an orchestrator says is said in the name of its person.
    const frame = (text: string) => (asked ? framedText(text, session, newSecret(9)) : text)
    const made = await createSession(this.#deps, actor, request, key, {
      beside,
      frame,
      ...(asked ? {} : { needs: 'bus.orchestrate' }),
    })
    this.#deps.changes.session(parentId)
    return made
  }

  async #machine(
    actor: Actor,
    { agentId }: SessionRow,
    wanted: string | undefined,
  ): Promise<Pick<MachineRow, 'agentId' | 'name'>> {
    const { machines } = this.#deps.reads
    if (wanted === undefined) return (await machines.find(agentId)) ?? { agentId, name: '' }
    const mine = (await machines.listWithManifests()).filter((one) => reaches(actor, one.agentId))
    const found = mine.find((one) => one.agentId === wanted) ?? onlyOne(mine.filter(({ name }) => name === wanted))
    if (!found) throw new CodedError('NOT_FOUND', 'machine: there is no such machine, or more than one')
    return found
  }

  async #member({ rootId, session }: Asking, sessionId: string): Promise<SessionRow> {
    const { reads } = this.#deps
    const place = (await reads.trees.places([sessionId])).get(sessionId)
    const isMember = sessionId === session.sessionId || (place?.node?.rootId ?? sessionId) === rootId
    const row = isMember ? await reads.sessions.find(sessionId) : undefined
    if (!row) throw notInTree(sessionId)
    return row
  }

  /** Null: a session that is part of no tree, which reaches itself alone. */
  async #readers(asking: Asking): Promise<TreePeople | null> {
    return asking.tree || asking.node ? requirePeople(this.#deps, asking) : null
  }

  async #summaries(sessionIds: readonly string[]) {
    const { reads, views } = this.#deps
    const rev = views.nextRev()
    const summaries = await views.summaries(reads, await reads.sessions.listed(sessionIds), rev)
    return sessionIds.flatMap((sessionId) => summaries.find((one) => one.sessionId === sessionId) ?? [])
  }
}

/** People see on whose behalf it came, and that a session sent it. */
const named = (actor: Actor, { title }: SessionRow): Actor => ({ ...actor, name: `${actor.name} (session “${title}”)` })

const notInTree = (sessionId: string) => new CodedError('NOT_IN_TREE', undefined, { sessionId })

const onlyOne = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)
