'use client'
import { useSyncExternalStore } from 'react'
import { Button, type ButtonProps } from './button'

const never = () => () => {}

/**
 * Of a form that stands in the page before its script runs: until then the browser would send the form by itself, and
 * put what was typed, a password too, into the address.
 */
export function SubmitButton({ disabled, ...rest }: ButtonProps) {
  const awake = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  return <Button type="submit" look="solid" className="w-full" disabled={disabled || !awake} {...rest} />
}
