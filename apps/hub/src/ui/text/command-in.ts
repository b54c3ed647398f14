/** A command that a machine's message ends with, apart from what the message says. Pure. */
export interface SaidAndCommand {
  said: string
  command?: string
}

const ASKS = /\s*On that machine run: (\S.*)$/s

/** Only one line is a command: more could hide the rest of what a person copies. */
export function commandIn(message: string): SaidAndCommand {
  const found = ASKS.exec(message)
  const command = found?.[1]?.trim()
  if (!found || command === undefined || /\p{Cc}/u.test(command)) return { said: message }
  return { said: message.slice(0, found.index), command }
}
