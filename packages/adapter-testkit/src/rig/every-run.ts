/**
 * Which rules a program plays in every run that takes seconds to start: those that nothing but the program can prove. The others
 * show what the adapter does, which the scripted program of the protocol plays in every run, or need a program of their own
 * for each value. `npm run programs` plays all.
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

export const isPlayed =
  (...except: RegExp[]) =>
  (title: string): boolean =>
    process.env.ROUNDHOUSE_PROGRAMS === 'all' ||
    (inEveryRun.some((one) => one.test(title)) && !except.some((one) => one.test(title)))
