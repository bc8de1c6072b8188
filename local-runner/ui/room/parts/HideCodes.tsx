import { signal } from '@preact/signals'
import { Check } from '../../shared/Field'
import { say } from '../words/texts'

const KEY = 'hideCodes'

/** Whether codes are left out of what is on the screen, which others may see. They can be copied all the same. */
export const areCodesHidden = signal(localStorage.getItem(KEY) === 'yes')

/** A room code as it is shown. */
export function shownCode(code: string): string {
  return areCodesHidden.value ? code.slice(0, 2) + code.slice(2).replace(/\w/g, '•') : code
}

/** @param props.isBrief where it stands beside a code */
export function HideCodes({ isBrief = false }: { readonly isBrief?: boolean }) {
  const change = (isHidden: boolean) => {
    areCodesHidden.value = isHidden
    localStorage.setItem(KEY, isHidden ? 'yes' : 'no')
  }
  return (
    <Check
      label={say('hideCodes')}
      hint={isBrief ? undefined : say('hideCodesHint')}
      isOn={areCodesHidden.value}
      onChange={change}
    />
  )
}
