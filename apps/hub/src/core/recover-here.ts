/** For the owner of the hub's machine: a link for a new password, where nobody is left who could make one. */
import { CodedError } from '@roundhouse/backend-types'
import { hubItself } from './audit'
import type { Context } from './context'
import { insertInvitation } from './invitations'

/** Whoever holds the hub's disk holds the hub. The audit log says that it was done there. */
const machineOwner = { ...hubItself, name: 'The owner of the hub’s machine' }

/** Resolves to the code that goes behind `/invitation#`. Throws `NOT_FOUND`. */
export async function recoverHere(
  context: Pick<Context, 'people' | 'transactions' | 'now'>,
  email: string,
): Promise<string> {
  const person = context.people.personByEmail(email)
  if (!person) throw new CodedError('NOT_FOUND', `Nobody has the e-mail address ${email} here.`)
  const { userId, role } = person
  const wanted = { email: person.email, role, agents: [], userId, mayReplace: () => true }
  const { token } = await context.transactions.write((tx) => insertInvitation(context, tx, machineOwner, wanted))
  return token
}
