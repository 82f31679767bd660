import { defaultConverter, type PropertyDeclaration } from 'lit';
import { DrawingElement } from './drawing-element.js';

/**
 * An element whose properties read texts as its attributes do, because frameworks set the property of an attribute's
 * name if there is one. A property's own converter reads every value.
 */
export abstract class AttributeElement extends DrawingElement {
  protected static override getPropertyDescriptor(
    name: PropertyKey,
    key: string | symbol,
    options: PropertyDeclaration,
  ): PropertyDescriptor | undefined {
    const descriptor = super.getPropertyDescriptor(name, key, options);
    const { attribute, converter, type } = options;
    if (attribute === false) return descriptor;
    const read = (value: unknown): unknown => {
      if (typeof converter === 'function') return converter(value as string);
      return typeof value === 'string' ? defaultConverter.fromAttribute!(value, type) : value;
    };
    return {
      ...descriptor,
      set(value: unknown) {
        descriptor?.set?.call(this, read(value));
      },
    };
  }
}
