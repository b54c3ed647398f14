/** Room names are made here from ids that were checked first; no client names a room (A31, T78). */
export const sessionRoom = (sessionId: string) => `session:${sessionId}`
export const loginRoom = (loginId: string) => `login:${loginId}`
export const personRoom = (userId: string) => `person:${userId}`
export const INBOX_ROOM = 'inbox'

const prefix = sessionRoom('')
export const sessionOfRoom = (room: string) => (room.startsWith(prefix) ? room.slice(prefix.length) : null)
