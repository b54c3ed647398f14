/** As BotFather gives it: a number, a colon, and a secret. Nothing else gets into an address. */
export const isTelegramToken = (token: string): boolean => /^\d{3,20}:[A-Za-z0-9_-]{20,100}$/.test(token)
