/** One line a fact, with the time of day, on standard error: readable in a terminal and in a service manager's journal. */
export type LogLine = (line: string) => void

export const logToStderr: LogLine = (line) => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
}
