'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useMemo } from 'react'
import { useBackendModes, useBackendNames } from '../../../live/backend-names'
import { modeLabel } from '../../../ui/text/setting-words'
import type { Names } from '../items/names'

export function useNames(view: SessionView | null): Names {
  const agentId = view?.agentId
  const nameBackend = useBackendNames()
  const modes = useBackendModes(agentId, view?.settings.backend)
  return useMemo(
    () => ({ backend: (kind) => nameBackend(kind, agentId), mode: (code) => modeLabel(code, modes) }),
    [nameBackend, agentId, modes],
  )
}
