/** Of every socket of a person, in whatever namespace: who is signed out, or changed, loses them. */
export const loginRoom = (loginId: string) => `login:${loginId}`
export const personRoom = (userId: string) => `person:${userId}`
