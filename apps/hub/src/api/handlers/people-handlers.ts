import type { peopleRoutes } from '@roundhouse/backend-types'
import type { PeopleServices } from '../../core'
import type { AttemptLimit } from '../limits/attempt-limit'
import type { Handlers } from './handlers'

export function peopleHandlers(
  { people }: PeopleServices,
  attempts: AttemptLimit,
): Handlers<keyof typeof peopleRoutes> {
  return {
    listPeople: ({ actor }) => people.list(actor),
    changePerson: ({ actor, id, body }) => people.change(actor, id.userId, body),
    removePerson: ({ actor, id, key }) => people.remove(actor, id.userId, key),
    signOutPerson: ({ actor, id, key }) => people.signOut(actor, id.userId, key),
    recoverPerson: ({ actor, id, key }) => people.recover(actor, id.userId, key),
    listInvitations: ({ actor }) => people.invitations(actor),
    createInvitation: ({ actor, body, key }) => people.invite(actor, body, key),
    revokeInvitation: ({ actor, id, key }) => people.revokeInvitation(actor, id.invitationId, key),
    acceptInvitation: ({ address, body }) => {
      attempts.require(address)
      return people.accept({ address }, body)
    },
  }
}
