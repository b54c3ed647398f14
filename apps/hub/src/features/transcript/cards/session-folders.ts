'use client'
import { createContext } from 'react'

/** The folder of the shown session, under each of its names. */
export const SessionFolders = createContext<readonly string[]>([])
