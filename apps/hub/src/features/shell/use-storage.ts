'use client'
import type { HubToViewer } from '@roundhouse/backend-types'
import { useEffect, useState } from 'react'
import { useHub } from '../../live/hub-provider'

export type StorageState = Parameters<HubToViewer['storage']>[0]['state']

/** Whether the hub can write, by its last message (STORE-7). */
export function useStorage(): StorageState {
  const hub = useHub()
  const [state, setState] = useState<StorageState>('ok')
  useEffect(() => hub.socket.on('storage', (storage) => setState(storage.state)), [hub])
  return state
}
