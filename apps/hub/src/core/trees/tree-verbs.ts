/** What a program can do with the sessions of its own tree, with the rights of the person who allowed it (TREE-2, TREE-3). */
import { CodedError, type CreateSessionRequest, SessionSettings, type TreeInput } from '@roundhouse/backend-types'
import { type Actor, can, reaches, requireCan } from '../access/access'
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
import { personActor } from './judge-tree'
import { lastAnswers } from './last-answers'
import { memberOf } from './member-of'
import { childPlace, requireSpawning } from './tree-limits'

export interface TreeVerbsDeps {
  changes: Changes
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'commands' | 'events' | 'machines' | 'people' | 'requests' | 'sessions' | 'trees'>
  views: Views
  writeAs: WriteAs
  writeAsHub: WriteAsHub
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
    await this.#start(asking, named(await this.#requirePerson(asking), asking.session), input, key, answers)
  }

  /** An orchestrator's `cmd.<session>.spawn`: as its person, in the tree of that session, with the same limits. */
  async spawnAs(asking: Asking, person: Pick<Actor, 'userId' | 'name'>, input: SpawnInput, key: string) {
    requireSpawning(asking.tree)
    const { now, reads } = this.#deps
    const standing = await reads.people.standing({ kind: 'person', id: person.userId })
    const actor = personActor({ personId: person.userId, personName: person.name }, standing, now())
    if (!actor) throw new CodedError('FORBIDDEN')
    requireCan(actor, 'session.control', asking.session)
    return this.#start(asking, actor, input, key)
  }

  async send(asking: Asking, { sessionId, text }: TreeInput<'send'>, answers: Answers): Promise<void> {
    const { changes, now, pump, views, writeAs } = this.#deps
    const { session } = asking
    const target = await this.#member(asking, sessionId)
    if (sessionId === session.sessionId) throw new CodedError('INVALID_ARGUMENT', 'sessionId: that is this session')
    const actor = named(await this.#requirePerson(asking), session)
    requireCan(actor, 'session.prompt', target)
    const view = await views.view(sessionId)
    if (!view || view.status.status === 'ended') throw new CodedError('SESSION_ENDED')
    const promptId = newId('cmd')
    const framed = framedText(text, session, newSecret(9))
    await writeAs(actor, async (tx) => {
      const tree = await tx.trees.tree(asking.rootId)
      if (tree?.stoppedAt != null) throw new CodedError('TREE_STOPPED')
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
    const actor = await this.#reader(asking)
    if (actor) requireCan(actor, 'session.read', target)
    const below = await reads.trees.below(asking.rootId)
    const ids = below.filter(({ parentId }) => parentId === sessionId).map((child) => child.sessionId)
    const [own, ...children] = await this.#summaries([sessionId, ...ids])
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
    const found: Array<{ settled: boolean; [fact: string]: unknown }> = []
    for (const sessionId of wanted) {
      const place = below.find((node) => node.sessionId === sessionId)
      if (!place && sessionId !== asking.rootId) throw notInTree(sessionId)
      if (sessionId === asking.session.sessionId)
        throw new CodedError('INVALID_ARGUMENT', 'sessionIds: a session cannot wait for itself')
      const view = await views.view(sessionId)
      found.push(
        view ? { ...memberOf(view), settled: isSettled(view) } : { sessionId, status: 'deleted', settled: true },
      )
    }
    const isDone = found.every(({ settled }) => settled)
    if (!isDone && now() < dueAt) return
    await writeAsHub((tx) => answers(tx, { ok: true, result: { timedOut: !isDone, sessions: found } }))
  }

  async #start(asking: Asking, actor: Actor, input: SpawnInput, key: string, answers?: Answers) {
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
    const beside: Beside = async (tx, { sessionId, title }) => {
      await tx.trees.insertNode({ ...(await childPlace(tx, parentId)), sessionId }, now())
      await tx.audit.append(entryOf(actor, 'session.spawn', sessionId, { parentId }), now())
      await answers?.(tx, { ok: true, result: { sessionId, title, machine: machine.name, workDir: settings.workDir } })
    }
    // What an orchestrator says is said in the name of its person.
    const frame = (text: string) => (answers ? framedText(text, session, newSecret(9)) : text)
    const made = await createSession(this.#deps, actor, request, key, { beside, frame })
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

  async #reader(asking: Asking): Promise<Actor | null> {
    return asking.tree ? this.#requirePerson(asking) : null
  }

  /** The person who allowed it, as far as they may still control the session that asks. */
  async #requirePerson({ tree, session }: Asking): Promise<Actor> {
    if (!tree) throw new CodedError('SPAWNING_OFF')
    if (tree.stoppedAt !== null) throw new CodedError('TREE_STOPPED')
    const { now, reads } = this.#deps
    const standing = await reads.people.standing({ kind: 'person', id: tree.personId })
    const actor = personActor(tree, standing, now())
    if (!actor || !can(actor, 'session.control', session))
      throw new CodedError('FORBIDDEN', 'The person who allowed this may not control this session any more.')
    return actor
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
