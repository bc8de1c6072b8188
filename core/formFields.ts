import { ServiceError } from './errors'

/** The text fields of a request. A map, because clients may choose any name. */
export type FormFields = ReadonlyMap<string, string>

/** The longest part of a field's name that an error repeats. */
export function shownName(name: string): string {
  return name.slice(0, 64)
}

/**
 * Adds a field to those of a form.
 * @throws ServiceError `unprocessable` when it is there already: which of two values is meant cannot be known
 */
export function addFormField(fields: Map<string, string>, name: string, value: string): void {
  if (fields.has(name)) {
    throw new ServiceError('unprocessable', `The field "${shownName(name)}" was sent twice. Send it once.`)
  }
  fields.set(name, value)
}

/** The fields of a URL-encoded form. @throws ServiceError as `addFormField` */
export function readFormFields(urlEncoded: string): FormFields {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(urlEncoded)) addFormField(fields, name, value)
  return fields
}
