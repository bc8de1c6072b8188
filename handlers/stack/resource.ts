/** A part of the template, as CloudFormation takes it. */
export type Resource = { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }

/** By their logical names. */
export type Resources = Readonly<Record<string, Resource>>

export type Outputs = Readonly<Record<string, { readonly Description: string; readonly Value: unknown }>>
