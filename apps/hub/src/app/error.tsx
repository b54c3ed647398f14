'use client'
export { BrokenPage as default } from '../ui/broken-page'
