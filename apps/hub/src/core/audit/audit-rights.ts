/**
 * Compares the rights that the audit log gives people and machines with the tables (AUD-3). Only what a row states is
 * compared: people and machines from before such rows existed are not judged. Pure.
 */
import type { AuditItem } from '@roundhouse/backend-types'

export interface PersonNow {
  userId: string
  role: string
  disabled: boolean
  agents: string[]
}

export interface MachineNow {
  agentId: string
  state: string
  keyFingerprint: string
  fingerprintOfKey: string
}

export const rightsActions = [
  'hub.setup',
  'person.invite',
  'person.join',
  'person.change',
  'person.remove',
  'agent.enroll',
  'agent.approve',
  'agent.refuse',
  'agent.enable',
  'agent.disable',
  'agent.revoke',
  'agent.rotate_key',
] as const
type RightsAction = (typeof rightsActions)[number]

type Facts = Record<string, unknown>
type Known<T> = Partial<T> & { row: number }
/** A row of `rightsActions` that went well, with what it tells beside its columns. */
export interface RightsRow extends Pick<AuditItem, 'id' | 'actorId' | 'action' | 'object'> {
  facts: Facts
}

const states: Partial<Record<RightsAction, string>> = {
  'agent.approve': 'active',
  'agent.refuse': 'revoked',
  'agent.enable': 'active',
  'agent.disable': 'disabled',
  'agent.revoke': 'revoked',
}

export class RightsOfLog {
  readonly #people = new Map<string, Known<PersonNow>>()
  readonly #machines = new Map<string, Known<MachineNow>>()
  readonly #invited = new Map<string, Facts>()
  /** The log reaches back to the hub's first owner, so no person or machine is older. */
  #isWhole = false

  /** Takes a successful row of `rightsActions`. Rows must come in their order. */
  take({ id: row, actorId, action, object, facts }: RightsRow): void {
    const subject = object ?? ''
    switch (action as RightsAction) {
      case 'hub.setup':
        this.#isWhole = true
        this.#person(actorId, row, { role: 'owner' })
        break
      case 'person.invite':
        this.#invited.set(subject, facts)
        break
      case 'person.join':
        this.#person(actorId, row, this.#joined(subject, facts))
        break
      case 'person.change':
        this.#person(subject, row, rightsIn(facts))
        break
      case 'person.remove':
        this.#people.delete(subject)
        break
      case 'agent.enroll':
        this.#machine(actorId.replace(/^agent:/, ''), row, enrolled(facts))
        break
      case 'agent.rotate_key':
        this.#machine(subject, row, keyIn(facts))
        break
      default:
        this.#machine(subject, row, { state: states[action as RightsAction] ?? '' })
    }
  }

  /** One sentence for each difference from the log. */
  differences(people: readonly PersonNow[], machines: readonly MachineNow[]): string[] {
    return [...people.flatMap((person) => this.#ofPerson(person)), ...machines.flatMap((one) => this.#ofMachine(one))]
  }

  #ofPerson({ userId, role, disabled, agents }: PersonNow): string[] {
    const known = this.#people.get(userId)
    // An account exists before its invitation is on record; as a viewer without machines it may do nothing.
    const mayNothing = role === 'viewer' && agents.length === 0
    if (!known) return this.#isWhole && !mayNothing ? [`the person ${userId} is ${role}, and no row says how`] : []
    return [
      ...differs(`the person ${userId}`, 'is', role, known.role, known.row),
      ...differs(`the person ${userId}`, 'is kept out:', disabled, known.disabled, known.row),
      ...differs(
        `the person ${userId}`,
        'has the machines',
        listed(agents),
        known.agents && listed(known.agents),
        known.row,
      ),
    ]
  }

  #ofMachine({ agentId, state, keyFingerprint, fingerprintOfKey }: MachineNow): string[] {
    const known = this.#machines.get(agentId)
    if (!known) return this.#isWhole ? [`the machine ${agentId} is ${state}, and no row says how`] : []
    return [
      ...differs(`the machine ${agentId}`, 'is', state, known.state, known.row),
      ...differs(`the machine ${agentId}`, 'has the key', fingerprintOfKey, known.keyFingerprint, known.row),
      ...differs(`the machine ${agentId}`, 'shows the key', keyFingerprint, known.keyFingerprint, known.row),
    ]
  }

  /** Earlier releases record the role in the invitation's row, and the machines nowhere. */
  #joined(invitationId: string, facts: Facts): Partial<PersonNow> {
    if (facts.role === undefined) return rightsIn({ role: this.#invited.get(invitationId)?.role })
    return rightsIn({ agents: '', ...facts })
  }

  #person(userId: string, row: number, rights: Partial<PersonNow>): void {
    this.#people.set(userId, { ...this.#people.get(userId), ...rights, row })
  }

  #machine(agentId: string, row: number, rights: Partial<MachineNow>): void {
    this.#machines.set(agentId, { ...this.#machines.get(agentId), ...rights, row })
  }
}

function differs(who: string, what: string, now: unknown, said: unknown, row: number): string[] {
  if (said === undefined || now === said) return []
  return [`${who} ${what} ${now || 'none'}, and the log up to row ${row} says ${said || 'none'}`]
}

const listed = (agents: readonly string[]) => [...agents].sort().join(' ')

function rightsIn({ role, disabled, agents }: Facts): Partial<PersonNow> {
  return {
    ...(typeof role === 'string' ? { role } : {}),
    ...(typeof disabled === 'boolean' ? { disabled } : {}),
    ...(typeof agents === 'string' ? { agents: agents.split(' ').filter((id) => id !== '') } : {}),
  }
}

const enrolled = (facts: Facts): Partial<MachineNow> => ({
  state: facts.waits === true ? 'pending' : 'active',
  ...keyIn(facts),
})

const keyIn = ({ keyFingerprint }: Facts): Partial<MachineNow> =>
  typeof keyFingerprint === 'string' ? { keyFingerprint } : {}
