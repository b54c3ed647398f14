'use client'
import { createContext } from 'react'

/** The folder of the session that is shown, by each of its names. */
export const SessionFolders = createContext<readonly string[]>([])
