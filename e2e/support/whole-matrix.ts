/** `npm run matrix` plays every combination; `npm test` one of several that are alike, to stay short. */
export const wholeMatrix = process.env.ROUNDHOUSE_MATRIX === 'all'
