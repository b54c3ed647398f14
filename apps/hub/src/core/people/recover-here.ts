/** For the owner of the hub's machine: a link for a new password, where nobody is left who could make one. */

import { CodedError } from '@roundhouse/backend-types'
import { hubItself } from '../audit/audit'
import type { Reads, Transactions } from '../ports/stores'
import { insertInvitation } from './invitations'

interface RecoverHereDeps {
  now: () => number
  reads: Pick<Reads, 'people'>
  transactions: Transactions
}

/** Whoever holds the hub's disk holds the hub. The audit log says that it was done there. */
const machineOwner = { ...hubItself, name: 'The owner of the hub’s machine' }

/** Resolves to the code that goes behind `/invitation#`. Throws `NOT_FOUND`. */
export async function recoverHere(deps: RecoverHereDeps, email: string): Promise<string> {
  const person = await deps.reads.people.findByEmail(email)
  if (!person) throw new CodedError('NOT_FOUND', `Nobody has the e-mail address ${email} here.`)
  const { userId, role } = person
  const wanted = { email: person.email, role, agents: [], userId, mayReplace: () => true }
  const { token } = await deps.transactions.write((tx) => insertInvitation(deps, tx, machineOwner, wanted))
  return token
}
