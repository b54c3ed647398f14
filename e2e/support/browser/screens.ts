/**
 * The screens of a story that is the same on both. `npm test` plays it on the phone, where there is less room: stories
 * without a size of their own are all on the desktop. `npm run screens` plays both.
 */
export const everyScreen = process.env.ROUNDHOUSE_SCREENS === 'all'

export const desktop = { width: 1440, height: 900 }
export const phone = { width: 390, height: 844 }
export const screens = everyScreen ? [desktop, phone] : [phone]
