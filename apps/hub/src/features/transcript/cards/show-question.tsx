'use client'
import { createContext, useContext } from 'react'

/** Jumps from a waiting call to its permission request above the composer. Absent if there is none to show. */
const ShowQuestion = createContext<((callId: string) => void) | null>(null)

export const ShowQuestionProvider = ShowQuestion.Provider

export function useShowQuestion(): ((callId: string) => void) | null {
  return useContext(ShowQuestion)
}
