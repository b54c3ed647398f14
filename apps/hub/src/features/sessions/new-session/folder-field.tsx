'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { Field } from '../../../ui/forms/field'
import { isAllowedFolder } from './allowed-folder'
import { folderToList, isMissing } from './folder-to-list'

/** A folder on the machine, with the subfolders of the typed path as suggestions. */
export function FolderField({
  agent,
  initial,
  wrong,
}: {
  agent: AgentView
  initial: string
  wrong: string | undefined
}) {
  const hub = useHub()
  const [path, setPath] = useState(initial)
  const listed = folderToList(useDeferredValue(path), agent.roots)
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['folders', agent.agentId, listed],
    queryFn: () => hub.rest.folders(agent.agentId, listed ?? undefined),
    enabled: agent.online && listed !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  })
  const isOutside = path !== '' && agent.roots.length > 0 && !isAllowedFolder(path, agent.roots)
  const isKnown = data !== undefined && !isPlaceholderData && listed === folderToList(path, agent.roots)
  const isNowhere = isKnown && listed !== null && !agent.roots.includes(path) && isMissing(path, data)
  const suggested = [...new Set([...agent.roots, ...(data?.folders ?? []).map((folder) => folder.path)])]
  return (
    <>
      <Field
        label="Folder"
        name="workDir"
        required
        wrong={wrong}
        value={path}
        onChange={(event) => setPath(event.target.value)}
        list="allowed-folders"
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        hint={
          agent.roots.length === 0 ? (
            'This machine allows no folder yet: run “roundhouse-agent allow <folder>” there.'
          ) : isOutside ? (
            <span className="text-needs">Not inside a folder that this machine allows: {agent.roots.join(', ')}.</span>
          ) : isNowhere ? (
            <span className="text-needs">There is no such folder on this machine.</span>
          ) : data?.complete === false ? (
            'Must be inside a folder that this machine allows. Not all folders are suggested.'
          ) : (
            'Must be inside a folder that this machine allows.'
          )
        }
      />
      <datalist id="allowed-folders">
        {suggested.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
    </>
  )
}
