<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>CategoriesPanel</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CategoryController</name>
    <message numerus="yes">
        <source>Take %Ln document(s) out of their category</source>
        <translation>
            <numerusform>Take %Ln document out of their category</numerusform>
            <numerusform>Take %Ln documents out of their category</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) put into “{name}”</source>
        <translation>
            <numerusform>%Ln document put into “{name}”</numerusform>
            <numerusform>%Ln documents put into “{name}”</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CategoryModel</name>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, %Ln document</numerusform>
            <numerusform>{name}, %Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ClusterModel</name>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, %Ln document</numerusform>
            <numerusform>{name}, %Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ClustersPanel</name>
    <message numerus="yes">
        <source>%Ln cluster(s)</source>
        <translation>
            <numerusform>%Ln cluster</numerusform>
            <numerusform>%Ln clusters</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CompareHeader</name>
    <message numerus="yes">
        <source>%Ln identical span(s)</source>
        <translation>
            <numerusform>%Ln identical span</numerusform>
            <numerusform>%Ln identical spans</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Controllers</name>
    <message numerus="yes">
        <source>%Ln vector(s) were damaged on the disk; their texts were encoded again.</source>
        <translation>
            <numerusform>%Ln vector were damaged on the disk; their texts were encoded again.</numerusform>
            <numerusform>%Ln vectors were damaged on the disk; their texts were encoded again.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DeleteWorkspaceDialog</name>
    <message numerus="yes">
        <source>Removed: the index of %Ln document(s), {size}, in {place}.</source>
        <translation>
            <numerusform>Removed: the index of %Ln document, {size}, in {place}.</numerusform>
            <numerusform>Removed: the index of %Ln documents, {size}, in {place}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DocumentsPanel</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln found</source>
        <translation>
            <numerusform>%Ln found</numerusform>
            <numerusform>%Ln found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln picked</source>
        <translation>
            <numerusform>%Ln picked</numerusform>
            <numerusform>%Ln picked</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DuplicatesPanel</name>
    <message numerus="yes">
        <source>%Ln document(s) in a language the model cannot read: compared by exact text only.</source>
        <translation>
            <numerusform>%Ln document in a language the model cannot read: compared by exact text only.</numerusform>
            <numerusform>%Ln documents in a language the model cannot read: compared by exact text only.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EditController</name>
    <message numerus="yes">
        <source>%Ln document(s) tagged “{tag}”.</source>
        <translation>
            <numerusform>%Ln document tagged “{tag}”.</numerusform>
            <numerusform>%Ln documents tagged “{tag}”.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tag “{tag}” removed from %Ln document(s).</source>
        <translation>
            <numerusform>Tag “{tag}” removed from %Ln document.</numerusform>
            <numerusform>Tag “{tag}” removed from %Ln documents.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Exporter</name>
    <message numerus="yes">
        <source>%Ln row(s) copied to the clipboard.</source>
        <translation>
            <numerusform>%Ln row copied to the clipboard.</numerusform>
            <numerusform>%Ln rows copied to the clipboard.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FolderPlanPage</name>
    <message numerus="yes">
        <source>Scanning the folder: %Ln file(s)</source>
        <translation>
            <numerusform>Scanning the folder: %Ln file</numerusform>
            <numerusform>Scanning the folder: %Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), {size}</source>
        <translation>
            <numerusform>%Ln file, {size}</numerusform>
            <numerusform>%Ln files, {size}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Recognise the text of %Ln picture(s) and scanned page(s), about {minutes} min, after all else</source>
        <translation>
            <numerusform>Recognise the text of %Ln picture and scanned page, about {minutes} min, after all else</numerusform>
            <numerusform>Recognise the text of %Ln pictures and scanned pages, about {minutes} min, after all else</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MapLegend</name>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, %Ln document</numerusform>
            <numerusform>{name}, %Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OutliersModel</name>
    <message numerus="yes">
        <source>%Ln copies.</source>
        <translation>
            <numerusform>%Ln copies.</numerusform>
            <numerusform>%Ln copies.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OutliersPanel</name>
    <message numerus="yes">
        <source>%Ln outlier(s)</source>
        <translation>
            <numerusform>%Ln outlier</numerusform>
            <numerusform>%Ln outliers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecentRow</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) after these are left out, and the report says so.</source>
        <translation>
            <numerusform>%Ln document after these are left out, and the report says so.</numerusform>
            <numerusform>%Ln documents after these are left out, and the report says so.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RerankPanel</name>
    <message numerus="yes">
        <source>%Ln result(s), in search order</source>
        <translation>
            <numerusform>%Ln result, in search order</numerusform>
            <numerusform>%Ln results, in search order</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln result(s) reranked; {far} moved by 10 places or more</source>
        <translation>
            <numerusform>%Ln result reranked; {far} moved by 10 places or more</numerusform>
            <numerusform>%Ln results reranked; {far} moved by 10 places or more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SavedSearchDialog</name>
    <message numerus="yes">
        <source>{name}  ·  %Ln new</source>
        <translation>
            <numerusform>{name}  ·  %Ln new</numerusform>
            <numerusform>{name}  ·  %Ln new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SelectionBar</name>
    <message numerus="yes">
        <source>%Ln selected</source>
        <translation>
            <numerusform>%Ln selected</numerusform>
            <numerusform>%Ln selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SourcesPanel</name>
    <message numerus="yes">
        <source>%Ln new</source>
        <translation>
            <numerusform>%Ln new</numerusform>
            <numerusform>%Ln new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage(s)</source>
        <translation>
            <numerusform>%Ln passage</numerusform>
            <numerusform>%Ln passages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln problem(s)</source>
        <translation>
            <numerusform>%Ln problem</numerusform>
            <numerusform>%Ln problems</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrendsModel</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>%Ln document</numerusform>
            <numerusform>%Ln documents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrendsPanel</name>
    <message numerus="yes">
        <source>%Ln dated document(s), {unit}</source>
        <translation>
            <numerusform>%Ln dated document, {unit}</numerusform>
            <numerusform>%Ln dated documents, {unit}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) without a date.</source>
        <translation>
            <numerusform>%Ln document without a date.</numerusform>
            <numerusform>%Ln documents without a date.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_CategoryDelegate</name>
    <message numerus="yes">
        <source>%Ln example(s)</source>
        <translation>
            <numerusform>%Ln example</numerusform>
            <numerusform>%Ln examples</numerusform>
        </translation>
    </message>
</context>
</TS>
