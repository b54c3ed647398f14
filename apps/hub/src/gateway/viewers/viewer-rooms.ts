import type { Actor } from '../../core'

const INBOX = 'inbox:'

/** Room names are made here from ids that were checked first; no client names a room (A31, T78). */
export const sessionRoom = (sessionId: string) => `session:${sessionId}`
/** Who has all machines shares one inbox; everybody else has their own (T78). */
export const inboxRoom = ({ userId, agents }: Actor) => `${INBOX}${agents === null ? 'all' : userId}`
export const isInboxRoom = (room: string) => room.startsWith(INBOX)

const prefix = sessionRoom('')
export const sessionOfRoom = (room: string) => (room.startsWith(prefix) ? room.slice(prefix.length) : null)
