/** The sockets of each person in all namespaces. When a person signs out or their rights change, these sockets are closed. */
export const loginRoom = (loginId: string) => `login:${loginId}`
export const personRoom = (userId: string) => `person:${userId}`
