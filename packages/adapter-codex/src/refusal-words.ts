/**
 * A refusal of Codex takes no reason, so that it is said into the turn as a person's words. The record of the conversation
 * has it among the prompts, and it is none.
 */
const beginning = 'The person refused this call and says: '

export const refusalWords = (reason: string): string => `${beginning}${reason}`
export const areRefusalWords = (text: string): boolean => text.startsWith(beginning)
