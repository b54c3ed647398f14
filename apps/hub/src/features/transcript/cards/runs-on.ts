import { createContext, useContext } from 'react'

/** The calls whose tasks run on beside the turns, although the calls themselves have their results. */
const RunningOn = createContext<ReadonlySet<string>>(new Set())

export const RunningOnProvider = RunningOn.Provider

export function useRunsOn(callId: string): boolean {
  return useContext(RunningOn).has(callId)
}
