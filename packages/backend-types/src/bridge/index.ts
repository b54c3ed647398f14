/** The messages of `roundhouse-agent bridge`, apart from the rest: no page and no hub loads them. */
export * from './messages'
export * from './options'
