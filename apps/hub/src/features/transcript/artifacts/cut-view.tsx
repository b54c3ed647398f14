'use client'
import type { CutValue } from '@roundhouse/backend-types'
import { useCallback, useState } from 'react'
import { Button } from '../../../ui/forms/button'
import { useKept } from '../../../ui/kept-state'
import { ScrollRegion } from '../../../ui/scroll-region'
import { useFolded } from '../../../ui/seen-whole'
import { CodeText } from '../../../ui/text/code-text'
import { CutMiddle } from './cut-middle'

export interface CutViewProps {
  value: CutValue
  complete: boolean
  keep: string
}

/**
 * The start and end of content that is too large for the log. A person who decides about it has read all of it, or confirms
 * that they decide without its middle.
 */
export function CutView({ value, complete, keep }: CutViewProps) {
  const [without, setWithout] = useKept(`${keep}-cut`, false)
  const [shown, setShown] = useState(false)
  useFolded(`${keep}-cut`, complete && !without && !shown)
  const onShown = useCallback(() => setShown(true), [])
  return (
    <div>
      <ScrollRegion label="Beginning" className="bg-sunken">
        <CodeText>{value.head}</CodeText>
      </ScrollRegion>
      <CutMiddle value={value} complete={complete} onShown={onShown} />
      <ScrollRegion label="End" className="bg-sunken">
        <CodeText>{value.tail}</CodeText>
      </ScrollRegion>
      {complete && !without && !shown ? (
        <Button size="sm" className="mt-1" onClick={() => setWithout(true)}>
          Decide without the middle
        </Button>
      ) : null}
    </div>
  )
}
