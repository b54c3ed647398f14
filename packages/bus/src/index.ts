/** What a message of the bus means. Pure: the hub and the session host apply the same rules. */
export * from './authority'
export * from './check-message'
export * from './peer-pace'
export * from './phases'
export * from './schemas'
export * from './topics'
