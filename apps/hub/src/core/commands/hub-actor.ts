/** The hub as the author of commands that no person sent: the answers to programs, and the end of a tree of sessions. */
import type { Actor } from '../access/access'
import { hubItself } from '../audit/audit'

export const hubActor: Actor = {
  ...hubItself,
  name: 'Roundhouse',
  role: 'owner',
  agents: null,
  credential: { kind: 'person', id: hubItself.userId },
}
