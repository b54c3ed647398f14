import { createContext, useContext } from 'react'

/** The calls whose tasks still run in the background, although the calls have their results. */
const RunningOn = createContext<ReadonlySet<string>>(new Set())

export const RunningOnProvider = RunningOn.Provider

export function useRunsOn(callId: string): boolean {
  return useContext(RunningOn).has(callId)
}
