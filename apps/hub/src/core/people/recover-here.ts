/** Creates a password link for the owner of the hub's machine, if nobody else is left who could. */

import { CodedError } from '@roundhouse/backend-types'
import { hubItself } from '../audit/audit'
import type { Reads, Transactions } from '../ports/stores'
import { insertInvitation } from './invitations'

interface RecoverHereDeps {
  now: () => number
  reads: Pick<Reads, 'people'>
  transactions: Transactions
}

/** A person with access to the hub's disk controls the hub. The audit log says that it was done there. */
const machineOwner = { ...hubItself, name: 'The owner of the hub’s machine' }

/** Returns the code for the URL `/invitation#<code>`. Throws `NOT_FOUND`. */
export async function recoverHere(deps: RecoverHereDeps, email: string): Promise<string> {
  const person = await deps.reads.people.findByEmail(email)
  if (!person) throw new CodedError('NOT_FOUND', `Nobody has the e-mail address ${email} here.`)
  const { userId, role } = person
  const wanted = { email: person.email, role, agents: [], userId, mayReplace: () => true }
  const { token } = await deps.transactions.write((tx) => insertInvitation(deps, tx, machineOwner, wanted))
  return token
}
