/**
 * Which rules a real program plays in every run: those that nothing but the program can prove. The others show what the adapter
 * does, which the scripted programs play in every run, or need a program of their own for each value. `npm run programs` plays all.
 */
const inEveryRun: readonly RegExp[] = [
  /^\[LOG-[457]\]/,
  /^the answer arrives/,
  /^a tool call is told before its result/,
  /^a finished turn tells its usage/,
  /^an ask names the call/,
  /^allow runs/,
  /^\[PERM-[45]\]/,
  /^deny does not run/,
  /^abort does not run/,
  /^an interrupt while/,
  /^\[RES-2\] after a SIGKILL/,
  /^a folder that does not exist/,
  /^\[CAP-4\.6\] a change to a model/,
  /^the manifest names/,
  /^a missing program/,
  /is refused as UNSUPPORTED$/,
  /^nothing is left running/,
]

const isAll = process.env.ROUNDHOUSE_PROGRAMS === 'all'

/** Of Claude Code and Codex, which start sooner, also what only they can show of their settings, of edits, resume and queries. */
const alsoPlayed = [
  ...[/^SpawnOptions\./, /^nothing of our own environment/, /^an allow with another input/],
  ...[/^\[RES-[57]\]/, /^\[CMD-11/, /^\[LOG-7\.27\] a (finished|denied)/],
]

export const isPlayedByOurs = (title: string): boolean =>
  isAll || [...inEveryRun, ...alsoPlayed].some((one) => one.test(title))

export const isPlayed =
  (...except: RegExp[]) =>
  (title: string): boolean =>
    isAll || (inEveryRun.some((one) => one.test(title)) && !except.some((one) => one.test(title)))
